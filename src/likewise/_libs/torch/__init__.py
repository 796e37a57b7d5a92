"""PyTorch: answers to likewise's questions, and routines that its rows call."""
