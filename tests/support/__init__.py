"""What the tests of several rooms share: writers of files, fakes."""
