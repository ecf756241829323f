"""What the paper states, part by part, each named by its number there; `parts` lists them, `page` shows them all."""
