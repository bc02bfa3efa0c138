#!/bin/sh
# The smallest CLI of one's own: the prompt on stdin, the answer on stdout, an exit code.
printf 'You asked: '
cat
