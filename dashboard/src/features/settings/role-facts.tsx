/** The permissions of each role. */
export function RoleFacts({ roles }: { roles: readonly (readonly [name: string, text: string])[] }) {
  return (
    <dl className="facts">
      {roles.map(([name, text]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
