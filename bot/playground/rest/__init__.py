"""The REST API: plain functions from a call to the state and what it answers, one module per resource."""
