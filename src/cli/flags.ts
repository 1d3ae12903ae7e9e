/** What commander makes of the options of each command. */
import type { ToolKind } from '../index.js';
import type { AgentFlags } from './agentOptions.js';

export interface RunFlags extends AgentFlags {
  allow?: ToolKind[];
  ask?: boolean;
  /** Milliseconds. */
  idle?: number;
  max?: number;
  model?: string;
  effort?: string;
  mode?: string;
  load?: string;
}

export interface InspectFlags extends RunFlags {
  port?: number;
  withText?: boolean;
}

export interface ProbeFlags extends AgentFlags {
  all?: boolean;
}

export interface RecordFlags {
  output?: string;
  withText?: boolean;
}

export interface DoctorFlags extends AgentFlags {
  prompt?: boolean;
  /** Milliseconds. */
  limit?: number;
}

export interface LintFlags {
  json?: boolean;
}

export interface DemoFlags {
  protocol?: 1 | 2;
  json?: boolean;
}

export type GraphFormat = 'mermaid' | 'markdown' | 'svg' | 'json';
export interface GraphFlags {
  format: GraphFormat;
  json?: boolean;
}

export interface ReplayFlags {
  as: 'agent' | 'client';
  /** Milliseconds. */
  wait?: number;
  json?: boolean;
}

export interface FakeFlags {
  case: string;
  segment?: number;
}
