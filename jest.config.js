/** Real ESM: run through `npm test`, which sets NODE_OPTIONS=--experimental-vm-modules. */
export default {
  testEnvironment: 'node',
  // The development build of xstate warns of events sent to stopped actors; a test should see that.
  testEnvironmentOptions: { customExportConditions: ['development', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/__tests__/**/*.test.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: { '^.+\\.ts$': ['ts-jest', { useESM: true, tsconfig: 'tsconfig.json' }] },
};
