"""What an agent sees: built from a view, within its budget, in the format it reads best."""
