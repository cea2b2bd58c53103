"""What the command line does with lexical-functional grammars."""
