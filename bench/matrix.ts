// Prints what the wrappers make of the real CLIs: of every scenario, or with `--versions` of a few over half a year of versions.

await import(process.argv.includes('--versions') ? './matrix/by-version.ts' : './matrix/by-scenario.ts');

export {};
