/** Text only for screen readers; a plain class, because lists have one in each row. */
export function VisuallyHidden({ children }: { children: string }) {
  return <span className="hidden-text"> {children}</span>;
}
