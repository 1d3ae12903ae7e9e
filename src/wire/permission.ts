import type { PermissionOption, PermissionReading } from './normal.js';
import { eachOf, PermissionOptionSchema, PermissionSchema, readAs } from './schemas.js';
import { readToolPatch, type Nulls } from './toolCalls.js';

/**
 * `session/request_permission`. v1 names the tool call in `toolCall`, v2 in `subject`; both are read in both. A subject that is
 * no tool call (v2's `command`) gives no tool, and so no kind that a policy could approve by. `undefined`: no params at all.
 */
export function readPermission(params: unknown, nulls: Nulls): PermissionReading | undefined {
  const read = readAs(PermissionSchema, params);
  if (read === undefined) return undefined;
  const { subject } = read;
  const named = subject?.type === undefined || subject.type === 'tool_call' ? subject?.toolCall : undefined;
  const tool = readToolPatch(read.toolCall, nulls) ?? readToolPatch(named, nulls);
  const permission: PermissionReading = {
    sessionId: read.sessionId,
    title: read.title ?? tool?.title ?? '',
    options: eachOf(PermissionOptionSchema, read.options, ({ optionId, name = '', kind = '' }): PermissionOption => {
      return { optionId, name, kind };
    }),
    raw: params,
  };
  if (tool !== undefined) permission.tool = tool;
  return permission;
}
