"""Servers over real sockets, with scripted answers and faults.

`Simulator` (in `simulator.server`) speaks the dialects of Ollama, llama-server and OpenAI at once,
each on its own paths. What it does with a request is a `Script`; whose server it plays is a
`World`. Whatever it sends, it writes down with the moment of sending, on `time.perf_counter`.
"""
