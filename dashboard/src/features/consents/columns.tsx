import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ConsentResponse } from '../../client/types.gen';
import { regionName } from '../../shared/display-names';
import { TruncatedText } from '../../shared/truncated-text';
import { CopyId } from '../../shared/copy-id';
import type { Column } from '../../shared/infinite-table';
import { VisuallyHidden } from '../../shared/visually-hidden';
import { RelativeTime } from '../../shared/timestamps';
import { t, translateCode } from '../../i18n/i18n';
import { grantedNames, GrantedNames } from './categories';
import { NoValue } from '../../shared/no-value';
import { DeliveryStateLabel } from './delivery-state';
import { regionCode } from './region-code';

/**
 * Columns of record lists. A function, because shared modules are evaluated before the language is loaded.
 * @param hasDelivery whether the plan includes forwarding
 */
export const consentColumns = (hasDelivery: boolean): Column<ConsentResponse>[] => [
  {
    title: t('consents.received'),
    cell: (record) => (
      <RecordLink record={record}>
        <RelativeTime at={record.givenAt ?? record.receivedAt} />
      </RecordLink>
    ),
  },
  { title: t('consents.action'), cell: (record) => <Choice record={record} /> },
  { title: t('consents.categories'), cell: (record) => <GrantedNames record={record} /> },
  {
    title: t('consents.host'),
    flexible: true,
    cell: ({ hostname }) =>
      hostname === null ? <NoValue reason={t('consents.noHost')} /> : <TruncatedText text={hostname} />,
  },
  { title: t('consents.region'), cell: (record) => <Region record={record} /> },
  ...(hasDelivery
    ? [
        {
          title: t('deliveries.delivery'),
          cell: ({ deliveryState }: ConsentResponse) => <DeliveryStateLabel state={deliveryState ?? null} />,
        },
      ]
    : []),
  { title: t('consents.id'), numeric: true, cell: ({ id }) => <CopyId id={id} /> },
];

/** The same records in two lines: choice and hostname, and time of delivery. */
export const consentPhoneColumns = (hasDelivery: boolean): Column<ConsentResponse>[] => [
  {
    title: t('consents.action'),
    flexible: true,
    cell: (record) => (
      <>
        <RecordLink record={record}>
          <Choice record={record} />
        </RecordLink>
        <small>{grantedNames(record)}</small>
      </>
    ),
  },
  {
    title: t('consents.received'),
    numeric: true,
    cell: ({ receivedAt, givenAt, deliveryState }) => (
      <>
        <RelativeTime at={givenAt ?? receivedAt} />
        {hasDelivery && (
          <small>
            <DeliveryStateLabel state={deliveryState ?? null} />
          </small>
        )}
      </>
    ),
  },
];

/** Opens the record over the list of consents, whose filters stay. */
function RecordLink({
  record: { id, projectId },
  children,
}: {
  record: ConsentResponse;
  children: ReactNode;
}) {
  return (
    <Link
      to="/projects/$projectId/consents"
      params={{ projectId }}
      search={(search) => ({ ...search, open: id })}
      className="row-link"
      onClick={(event) => event.stopPropagation()}
    >
      {children}
      <VisuallyHidden>{t('consents.openRecord')}</VisuallyHidden>
    </Link>
  );
}

function Choice({ record: { action, surface, importId } }: { record: ConsentResponse }) {
  return (
    <span className="choice">
      <TruncatedText text={translateCode('actions', action) ?? action} />
      {surface === 'signal' && (
        <span className="pill" title={t('consents.gpcHint')}>
          {t('consents.gpc')}
        </span>
      )}
      {importId !== null && (
        <span className="pill" title={t('consents.importedHint')}>
          {t('consents.imported')}
        </span>
      )}
    </span>
  );
}

function Region({ record }: { record: ConsentResponse }) {
  const code = regionCode(record.additionalFields);
  return code === null ? (
    <NoValue reason={t('consents.noRegion')} />
  ) : (
    <span title={regionName(code)}>{code}</span>
  );
}
