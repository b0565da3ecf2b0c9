/** Tells password managers whose password a form asks for, where it does not ask for the address itself. */
export function WhosePassword({ email }: { email: string }) {
  return <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />;
}
