// Prints the verdicts of the wrappers over the real CLIs: for every scenario, or with `--versions` for half a year of versions.

await import(process.argv.includes('--versions') ? './matrix/by-version.ts' : './matrix/by-scenario.ts');

export {};
