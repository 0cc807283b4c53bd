import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Rooms that may not be imported from a room, so that the flow stays one way. */
const forbid = (...rooms) => ({
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        { group: rooms.map((room) => `**/${room}/**`), message: 'the flow goes one way: see README, "Layout"' },
      ],
    },
  ],
});

export default defineConfig(
  { ignores: ['build/', 'dist/', 'node_modules/', 'lib/api/generated/'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      // Counts every ?? and ?. too, of which reading a live object takes many.
      complexity: ['error', 16],
      'max-depth': ['error', 3],
      'max-params': ['error', 4],
      'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      // Keys with dots and slashes are everyday in Kubernetes, and an index signature is not a property.
      '@typescript-eslint/dot-notation': 'off',
      'no-restricted-syntax': ['error', { selector: 'ExportDefaultDeclaration', message: 'name what you export' }],
    },
  },
  { files: ['lib/**'], rules: forbid('controller', 'cli', 'charts', 'test') },
  { files: ['charts/**'], rules: forbid('controller', 'cli', 'test') },
  { files: ['controller/**'], rules: forbid('cli', 'charts', 'test', 'constructs', 'children') },
  { files: ['cli/**'], rules: forbid('test') },
  { files: ['test/**'], rules: { 'max-lines-per-function': 'off', 'max-lines': ['error', { max: 500 }] } },
  {
    // Answers of the API server are read as they come; an assertion follows every read.
    files: ['test/integration/**'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  { files: ['eslint.config.js', 'vitest.config.ts'], rules: { 'no-restricted-syntax': 'off' } },
);
