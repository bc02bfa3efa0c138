// In which encoding a chapter is read, by how it begins.

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodingOf } from '../../../../policies/distill/epub/markup.ts';

const ROWS: [head: string, encoding: string][] = [
  ['<html><head><title>A</title>', 'utf-8'],
  ['<?xml version="1.0" encoding="ISO-8859-1"?><html>', 'ISO-8859-1'],
  ['<html><head><meta charset="windows-1251"/>', 'windows-1251'],
  ['<html><head><META content="text/html; charset=koi8-r" http-equiv="Content-Type">', 'koi8-r'],
  ['<?xml version="1.0" encoding="utf-8"?><html><head><meta charset="latin1"/>', 'utf-8'],
  ['<html><head><meta charset=x-no-such>', 'x-no-such'],
  ['<html><head><meta charset="utf-16"/>', 'utf-8'],
  ['<p>The charset="latin1" of old.</p>', 'utf-8'],
];

for (const [head, encoding] of ROWS)
  test(`${encoding}: ${head}`, () => {
    assert.is(encodingOf(Buffer.from(head)), encoding);
  });

test.run();
