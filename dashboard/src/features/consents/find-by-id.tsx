import { useState } from 'react';
import { consentList } from '../../client/sdk.gen';
import { SearchField } from '../../shared/search-field';
import { t } from '../../i18n/i18n';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Opens the record of a consent ID, or of its ID in the product from which it was imported. */
export function FindById({
  projectId,
  onFound,
}: {
  projectId: string;
  onFound: (consentId: string) => void;
}) {
  const [typed, setTyped] = useState('');
  const [isRefused, setRefused] = useState(false);
  const find = async (text: string): Promise<void> => {
    if (text === '') return setRefused(false);
    const imported = await consentList({
      path: { projectId },
      query: { originalId: text.slice(0, 200), limit: 1 },
    });
    const id = imported.data?.items[0]?.id ?? text.toLowerCase();
    setRefused(!UUID.test(id));
    if (!UUID.test(id)) return;
    setTyped('');
    onFound(id);
  };
  return (
    <form
      className="search-field"
      onSubmit={(event) => {
        event.preventDefault();
        void find(typed.trim());
      }}
    >
      <SearchField
        aria-label={t('consents.findId')}
        placeholder={t('consents.id')}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={isRefused && t('consents.incompleteId')}
      />
    </form>
  );
}
