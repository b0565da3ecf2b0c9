const SHOWN_MAX = 12;

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * The commands whose label contains the text, prefix matches first; for an id, only the consent.
 */
export function selectCommands<C extends { label: string }>(
  commands: readonly C[],
  text: string,
  openConsent?: (consentId: string) => C,
): C[] {
  const typed = text.trim().toLowerCase();
  if (openConsent && UUID.test(typed)) return [openConsent(typed)];
  const position = ({ label }: C) => label.toLowerCase().indexOf(typed);
  return commands
    .filter((command) => position(command) >= 0)
    .toSorted((a, b) => Math.sign(position(a)) - Math.sign(position(b)))
    .slice(0, SHOWN_MAX);
}
