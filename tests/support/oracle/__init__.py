"""llama.cpp itself as the judge: recorded figures, and tiny models to run in it."""
