"""Commands on grammars."""
