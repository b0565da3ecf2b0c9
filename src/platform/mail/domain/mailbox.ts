/**
 * The mailbox of an address: lower case, without a `+tag`, which most providers ignore. Only for
 * counting; mail is sent to the address as given.
 */
export function normalizedMailbox(address: string): string {
  const [, name = '', host = ''] = /^([^+@]*)[^@]*@(.*)$/.exec(address.toLowerCase().trim()) ?? [];
  return `${name}@${host}`;
}
