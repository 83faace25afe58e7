"""The tables and figures of the papers; a module or two for each paper."""
