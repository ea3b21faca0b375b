"""Learn a machine: small random models, measured, and what their times say of any other model."""
