// What a repository is written in, and how it is likely tested, by the files in its root: a proposal, of which nothing is run.

/** A repository as far as it is looked at. */
interface RepositoryFiles {
  has(name: string): boolean;
  /** '' where there is none, or it cannot be read. */
  text(name: string): string;
}

interface LanguageRow {
  language: string;
  /** Any of these in the root says so. */
  files: readonly string[];
  /** null where nothing says how it is tested. Never a word of a file itself, for whatever stands there is another's. */
  tests(files: RepositoryFiles): string | null;
}

export interface Repository {
  languages: string[];
  /** The command, and the file that says so. */
  tests: { command: string; file: string } | null;
}

/** Of npm, which makes a package with a test that fails. */
const NO_TEST = /no test specified/;

/** The first that says how it is tested counts. */
const LANGUAGES: readonly LanguageRow[] = [
  {
    language: 'JavaScript',
    files: ['package.json'],
    tests({ has, text }) {
      if (!isTested(text('package.json'))) return null;
      if (has('pnpm-lock.yaml')) return 'pnpm test';
      if (has('yarn.lock')) return 'yarn test';
      return has('bun.lock') || has('bun.lockb') ? 'bun run test' : 'npm test';
    },
  },
  { language: 'Rust', files: ['Cargo.toml'], tests: () => 'cargo test' },
  { language: 'Go', files: ['go.mod'], tests: () => 'go test ./...' },
  {
    language: 'Python',
    files: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'pytest.ini', 'tox.ini'],
    tests: ({ has, text }) => {
      const said = ['pyproject.toml', 'setup.cfg', 'requirements.txt', 'tox.ini'].some((name) =>
        /\bpytest\b/.test(text(name)),
      );
      if (said || has('pytest.ini') || has('conftest.py')) return has('uv.lock') ? 'uv run pytest' : 'python -m pytest';
      return has('tests') || has('test') ? 'python -m unittest discover' : null;
    },
  },
  { language: 'Java', files: ['pom.xml'], tests: ({ has }) => (has('mvnw') ? './mvnw test' : 'mvn test') },
  {
    language: 'Java',
    files: ['build.gradle', 'build.gradle.kts'],
    tests: ({ has }) => (has('gradlew') ? './gradlew test' : 'gradle test'),
  },
  {
    language: 'Ruby',
    files: ['Gemfile'],
    tests: ({ has }) => (has('spec') ? 'bundle exec rspec' : has('Rakefile') ? 'bundle exec rake test' : null),
  },
  {
    language: 'PHP',
    files: ['composer.json'],
    tests: ({ has }) => (has('phpunit.xml') || has('phpunit.xml.dist') ? 'vendor/bin/phpunit' : null),
  },
  { language: 'Elixir', files: ['mix.exs'], tests: () => 'mix test' },
  {
    language: 'Make',
    files: ['Makefile', 'makefile', 'GNUmakefile'],
    tests: ({ text }) =>
      ['Makefile', 'makefile', 'GNUmakefile'].some((name) => /^test\s*:(?!=)/m.test(text(name))) ? 'make test' : null,
  },
];

export function describeRepository(files: RepositoryFiles): Repository {
  const found = LANGUAGES.flatMap((row) => {
    const file = row.files.find((name) => files.has(name));
    return file === undefined ? [] : [{ ...row, file, command: row.tests(files) }];
  });
  const tested = found.find(({ command }) => command !== null);
  const isTypeScript = files.has('tsconfig.json');
  const languages = found
    .map(({ language }) => (language === 'JavaScript' && isTypeScript ? 'TypeScript' : language))
    .filter((language) => language !== 'Make');
  return {
    languages: [...new Set(languages)],
    tests: tested === undefined ? null : { command: tested.command!, file: tested.file },
  };
}

function isTested(text: string): boolean {
  try {
    const test = (JSON.parse(text) as { scripts?: { test?: unknown } } | null)?.scripts?.test;
    return typeof test === 'string' && test.trim() !== '' && !NO_TEST.test(test);
  } catch {
    return false;
  }
}
