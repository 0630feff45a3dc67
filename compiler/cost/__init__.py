"""What costs how much on a target, and which way of computing is chosen for it."""
