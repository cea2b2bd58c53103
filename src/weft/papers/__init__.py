"""The papers that Weft grows from: a module a paper, a function a table or figure."""
