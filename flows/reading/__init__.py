"""Files of any kind as tables of text, read strictly or refused with every place named."""
