import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Time is the injected `Clock`: a test that steps it must be able to step everything. */
const CLOCK = 'Take the injected Clock of src/framing/clock.ts.';
const TIMER_NAMES = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate'];
const restrictedGlobals = [...TIMER_NAMES, 'performance'].map((name) => ({ name, message: CLOCK }));
const restrictedProperties = [
  { object: 'Date', property: 'now', message: CLOCK },
  { object: 'AbortSignal', property: 'timeout', message: CLOCK },
  ...[...TIMER_NAMES, 'performance'].map((property) => ({ object: 'globalThis', property, message: CLOCK })),
];
const restrictedImports = {
  paths: [
    ...['timers', 'node:timers', 'timers/promises', 'node:timers/promises', 'perf_hooks', 'node:perf_hooks'].map(
      (name) => ({ name, message: CLOCK }),
    ),
    ...['readline', 'node:readline', 'readline/promises', 'node:readline/promises'].map((name) => ({
      name,
      message: 'It splits on U+2028, which is legal inside a frame: use src/framing.',
    })),
  ],
};

export default defineConfig(
  globalIgnores(['build/', 'dist/', 'page/types.d.ts', 'coverage/', 'fixtures/', '.agents/', '.tmp/', 'docs/']),

  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,

  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'guard-for-in': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/consistent-type-exports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true },
      ],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // Wrong wherever a fact changes during an await (`signal.aborted`), and where the types believe the agent.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      // A function that promises to be asynchronous keeps its throws inside the promise.
      '@typescript-eslint/require-await': 'off',
      // `void | Promise<void>` is what a listener gives back, and is passed on as it is.
      '@typescript-eslint/no-confusing-void-expression': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
    },
  },

  {
    files: ['src/**/*.ts'],
    rules: {
      'no-console': 'error',
      'no-restricted-globals': ['error', ...restrictedGlobals],
      'no-restricted-properties': ['error', ...restrictedProperties],
      'no-restricted-imports': ['error', restrictedImports],
    },
  },
  {
    files: ['src/framing/clock.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },
  {
    // Programs of their own: they talk to a person or play the agent, and own their time.
    files: ['src/cli/**/*.ts', 'src/demo/**/*.ts', 'src/fake/**/*.ts'],
    rules: {
      'no-console': 'off',
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-imports': 'off',
    },
  },
  {
    files: ['machines/**/*.ts'],
    rules: {
      // `types: { context: {} as Context }` of setup() is all type and no value.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      'no-console': 'error',
      'no-restricted-globals': ['error', ...restrictedGlobals, 'process', 'Buffer', 'fetch'],
      'no-restricted-properties': ['error', ...restrictedProperties],
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!xstate$|\\./)',
              message: 'A chart says what is legal and does no I/O: it imports xstate and its sister charts.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['__tests__/**/*.ts'],
    rules: {
      // Tests hand in what the types forbid, read raw frames, and look where they know that something is.
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-restricted-globals': [
        'error',
        ...['fdescribe', 'fit', 'xit', 'xdescribe', 'xtest'].map((name) => ({
          name,
          message: 'A test runs, or says at run time why it cannot.',
        })),
      ],
    },
  },
  {
    // The live page runs in a browser; its tsconfig.json knows what there is, so that no list of names is needed here.
    files: ['page/**/*.js'],
    rules: { 'no-undef': 'off', 'no-console': 'error' },
  },
  {
    files: ['**/*.{js,mjs,cjs}'],
    languageOptions: {
      globals: Object.fromEntries(
        ['process', 'console', 'Buffer', 'URL', 'AbortController', 'performance', 'fetch', ...TIMER_NAMES].map(
          (name) => [name, 'readonly'],
        ),
      ),
    },
  },
);
