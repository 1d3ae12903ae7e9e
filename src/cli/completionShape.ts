/** Our command line, as far as a shell completes it. */
export type Shell = 'bash' | 'zsh' | 'fish';

/** What can stand in a place: one of these, or a file, or anything. */
export interface Value {
  words: readonly string[];
  files: 'none' | 'files' | 'folders';
}

export interface CompletedOption {
  /** `--json`, and `-o` where there is one. */
  flags: readonly string[];
  says: string;
  /** Undefined: it takes none. */
  value: Value | undefined;
}

export interface CompletedCommand {
  name: string;
  says: string;
  options: readonly CompletedOption[];
  /** Of its first argument. */
  argument: Value;
}

export interface CompletedProgram {
  name: string;
  options: readonly CompletedOption[];
  commands: readonly CompletedCommand[];
}
