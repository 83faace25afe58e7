"""HTTP service: a JSON interface, the contract of UDPipe's REST service, and a demo page. It needs the extra serve."""
