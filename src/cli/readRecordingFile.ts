import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readRecording, type Recording } from '../inspect/recording.js';
import { fileTrouble } from './fileTrouble.js';
import type { Output } from './output.js';

/** A file that is none ends the command; one that is not whole is told. */
export function readRecordingFile(file: string, command: Command, output: Output): Recording {
  let source: string;
  try {
    source = readFileSync(file, 'utf8');
  } catch (error) {
    return command.error(`error: the recording cannot be read: ${fileTrouble(file, error)}`);
  }
  const recording = readRecording(source);
  if (!recording) {
    return command.error(
      `error: ${file} is no recording\n  \`acp-turnstile record -o run.jsonl -- <agent>\` writes one`,
    );
  }
  if (recording.cut) output.note(`${file}: its last line is cut: whoever wrote it was killed; the rest is whole`);
  if (recording.full) output.note(`${file}: it had reached its largest size, and what came then is not in it`);
  return recording;
}
