/**
 * The mailbox behind an address: lower case, without a `+tag`, which most providers deliver to the same mailbox. It is
 * for counting alone; mail goes to the address as it was given.
 */
export function normalizedMailbox(address: string): string {
  const [, name = '', host = ''] = /^([^+@]*)[^@]*@(.*)$/.exec(address.toLowerCase().trim()) ?? [];
  return `${name}@${host}`;
}
