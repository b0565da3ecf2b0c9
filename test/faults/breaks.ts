export async function runBreaks(_names: string[]): Promise<boolean> {
  return false;
}
