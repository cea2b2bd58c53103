"""What the command line does with feature grammars."""
