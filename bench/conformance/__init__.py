"""What the commands share that run the public test suites of frameworks."""
