"""array-api-strict: answers to likewise's questions."""
