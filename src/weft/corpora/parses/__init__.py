"""Files of several analyses a sentence, and which of them is right."""
