// Writes down whose code the bundles hold, and under which licence: dist/THIRD-PARTY.txt, for people and for the audit in .ci.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const HEAD =
  'The commands of this package hold code of the packages below, each under the licence that follows its name.\n';
/** What a package does not say itself: its licence by name, or its text, which its README gives by name alone and its author in another one. */
const UNSAID = {
  brotli: { textIn: 'png-js' },
  dfa: { textIn: 'png-js' },
  fontkit: { textIn: 'png-js' },
  'pg-types': { textIn: 'pg' },
  pgpass: { textIn: 'pg' },
  'png-js': { license: 'MIT' },
};
/** What a package holds of others, under another licence than its own. */
const WITHIN = {
  pgpass: () => ['Copyright (c) 2013-2016 Hannes Hörl'],
  pdfmake: () => [
    'The Roboto fonts in it: Copyright 2011 Google Inc., under the Apache License, Version 2.0:',
    readFileSync('node_modules/@swc/helpers/LICENSE', 'utf8').split('APPENDIX:')[0].trim(),
  ],
};
const LICENCE_FILE = /^(?:licen[sc]e|copying|notice|3rd-party-licenses)/i;

/** The folders of the packages of which the bundles of these metafiles hold at least a byte. */
export function packagesIn(metafiles) {
  const files = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs)),
  );
  const folders = files.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []) : [],
  );
  return [...new Set(folders)].sort();
}

/** A heading `name@version (licence)` for each package, and its licence files; throws when one has none. */
export function noticeOf(folders) {
  const parts = folders.map((folder) => {
    const said = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const { name, version, license, textIn } = { ...said, ...UNSAID[said.name] };
    const places = [folder, path.join(folder, 'build'), ...(textIn ? [`node_modules/${textIn}`] : [])];
    const texts = [...places.flatMap(licencesIn), ...(WITHIN[name]?.() ?? [])];
    if (!license || texts.length === 0) throw new Error(`${folder} says no licence, or has no text of it`);
    return [`${'='.repeat(80)}\n${name}@${version} (${license})\n${'='.repeat(80)}`, ...texts].join('\n\n');
  });
  return `${[HEAD, ...parts].join('\n')}\n`;
}

function licencesIn(folder) {
  let names = [];
  try {
    names = readdirSync(folder).filter((name) => LICENCE_FILE.test(name));
  } catch {
    // Most packages have no folder of that name.
  }
  return names.sort().map((name) => readFileSync(path.join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim());
}
