"""What the store keeps of each noun, and what it promises about it."""
