// Guesses the languages of a repository and its test command from the files in its root. It runs nothing.

/** The parts of a repository that are examined. */
interface RepositoryFiles {
  has(name: string): boolean;
  /** '' if the file does not exist or cannot be read. */
  text(name: string): string;
}

interface LanguageRow {
  language: string;
  /** Any of these files in the root identifies the language. */
  files: readonly string[];
  /** The test command; null if no file shows one. It never contains text from a file, because that text is untrusted. */
  tests(files: RepositoryFiles): string | null;
}

export interface Repository {
  languages: string[];
  /** The command, and the file that indicates it. */
  tests: { command: string; file: string } | null;
}

/** npm creates packages with a test script that fails with this text. */
const NO_TEST = /no test specified/;

/** The first language that has a test command counts. */
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
