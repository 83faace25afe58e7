"""Lagrangian relaxation over any decoders; it receives them as arguments and never names one."""
