"""Model providers that speak OpenAI's protocols."""
