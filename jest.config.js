/** Real ESM: run through `npm test` or `npm run jest`, which give Node the flag that it needs for that. */
export default {
  reporters: ['default', '<rootDir>/scripts/summary-reporter.mjs'],
  // Jest would leave one processor of two idle, which doubles the time of a landing.
  maxWorkers: '100%',
  testEnvironment: 'node',
  // The development build of xstate warns of events sent to stopped actors; a test should see that.
  testEnvironmentOptions: { customExportConditions: ['development', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.json' }] },
};
