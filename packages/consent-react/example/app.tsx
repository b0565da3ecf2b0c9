import { ConsentFrame, ConsentProvider, type KnownChoice, useConsent } from '@service/consent-react';
import type { ReactNode } from 'react';

/** The page of the example. `choice` is what the server read from the cookie of the request. */
export function App({ choice }: { choice: KnownChoice | null }): ReactNode {
  return (
    <ConsentProvider choice={choice}>
      <h1>Consent in React</h1>
      <Analytics />
      <ConsentFrame
        category="marketing"
        src="/video.html"
        title="Product video"
        text="The video comes from another provider."
        buttonLabel="Allow marketing and play"
        width={480}
        height={270}
      />
    </ConsentProvider>
  );
}

function Analytics(): ReactNode {
  return <p>{useConsent('analytics') ? 'Analytics allowed' : 'Analytics not allowed'}</p>;
}
