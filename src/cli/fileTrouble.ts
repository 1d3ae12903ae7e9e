/** Why a file cannot be read or written, in words. */
const SAYS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EISDIR', 'it is a folder'],
  ['ENOTDIR', 'a part of the path is no folder'],
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the disk is read-only'],
  ['ENXIO', 'it is a pipe'],
  ['ENOTSUP', 'it is no file'],
]);

export function fileTrouble(file: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return `${file}: ${(code !== undefined && SAYS.get(code)) || (code ?? 'unknown trouble')}`;
}
