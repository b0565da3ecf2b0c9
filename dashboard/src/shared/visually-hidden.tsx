/** What only those hear who do not see the page; a class alone, because lists have one in each row. */
export function VisuallyHidden({ children }: { children: string }) {
  return <span className="hidden-text"> {children}</span>;
}
