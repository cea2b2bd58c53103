"""XLE's Prolog files: the analyses of a sentence by a Lexical-Functional Grammar, packed or not."""
