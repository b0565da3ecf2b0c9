import { useState } from 'react';
import { SearchField } from '../../shared/search-field';
import { t } from '../../i18n/i18n';

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Opens the record of a consent ID; shows an error beside the field for an invalid one. */
export function FindById({ onFound }: { onFound: (consentId: string) => void }) {
  const [typed, setTyped] = useState('');
  const [isRefused, setRefused] = useState(false);
  return (
    <form
      className="search-field"
      onSubmit={(event) => {
        event.preventDefault();
        const id = typed.trim().toLowerCase();
        setRefused(id !== '' && !UUID.test(id));
        if (!UUID.test(id)) return;
        setTyped('');
        onFound(id);
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
