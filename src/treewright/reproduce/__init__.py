"""The tables and figures of the papers, run again; one module a paper."""
