// Reads what `npm audit --json` prints: exits 1 if a package whose code is in dist has an advisory, 3 if the registry does not answer.
// All packages are devDependencies, since the bundles hold what they need; so `--omit=dev` would audit nothing.
import { readFileSync } from 'node:fs';

const notice = readFileSync('dist/THIRD-PARTY.txt', 'utf8');
const bundled = [...notice.matchAll(/^=+\n(\S+)@\S+ \(.*\)\n=+$/gm)].map(([, name]) => name);
if (bundled.length === 0) throw new Error('dist/THIRD-PARTY.txt names no package');

const { vulnerabilities } = readAudit();
if (vulnerabilities === undefined) {
  console.log('this registry has no audit endpoint');
  process.exitCode = 3;
} else {
  const found = Object.values(vulnerabilities);
  for (const { name, severity, range, via } of found) {
    const whose = bundled.includes(name) ? 'bundled' : 'only a tool, not in the package';
    const said = via.map((of) => of.title ?? `by ${of}`).join('; ');
    console.log(`${name} ${range}: ${severity}: ${said} (${whose})`);
  }
  const bad = found.filter(({ name }) => bundled.includes(name));
  console.log(`${bundled.length} packages are bundled, ${bad.length} of them with an advisory`);
  process.exitCode = bad.length > 0 ? 1 : 0;
}

function readAudit() {
  try {
    return JSON.parse(readFileSync(0, 'utf8'));
  } catch {
    return {};
  }
}
