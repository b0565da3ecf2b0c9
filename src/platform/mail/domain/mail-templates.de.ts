import { BRAND } from '../../identity/brand.js';
import { nameInMail } from './letter.js';
import { instantInMail, mailLinks } from './mail-links.js';
import type { MailTemplates } from './mail-values.js';

const NOT_YOU =
  'Falls Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren. Ohne den Link ändert sich nichts.';
const OF_ACCOUNT = `Sie erhalten diese E-Mail, weil sie Ihr Konto bei ${BRAND} betrifft.`;
const OF_OWNER = `Sie erhalten diese E-Mail als Inhaber dieses Projekts bei ${BRAND}.`;
const OF_MEMBER = `Sie erhalten diese E-Mail als Mitglied dieses Projekts bei ${BRAND}.`;
const requested = (what: string): string =>
  `Sie erhalten diese E-Mail, weil ${what} mit dieser Adresse bei ${BRAND} angefordert wurde.`;

const ROLES: Record<string, string> = { viewer: 'Betrachter', editor: 'Bearbeiter', owner: 'Inhaber' };
/** The value is stored as an English sentence. */
const FACTOR_CHANGES: Record<string, string> = {
  'Two-factor authentication was turned on': 'Die Zwei-Faktor-Authentifizierung wurde eingeschaltet',
  'Two-factor authentication was turned off': 'Die Zwei-Faktor-Authentifizierung wurde ausgeschaltet',
  'Your recovery codes were replaced': 'Ihre Wiederherstellungscodes wurden ersetzt',
};

const at = (iso: string): string => instantInMail(iso, 'de-DE');
const quoted = (name: string): string => `„${nameInMail(name)}“`;

/** All mails in German. */
export const GERMAN_MAILS: MailTemplates = {
  test: () => ({
    subject: `Test-E-Mail von ${BRAND}`,
    paragraphs: [
      'Ein Betreiber hat diese E-Mail gesendet, um den E-Mail-Versand zu prüfen. Er funktioniert.',
    ],
    reason: `Sie erhalten diese E-Mail, weil ein Betreiber von ${BRAND} diese Adresse eingegeben hat.`,
  }),
  confirm_sign_up: ({ name, link }) => ({
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    paragraphs: [
      `Hallo ${quoted(name)},`,
      'vielen Dank für Ihre Registrierung. Um Ihr Konto zu aktivieren, bestätigen Sie Ihre E-Mail-Adresse und geben Sie das gewählte Passwort ein. Der Link funktioniert einmal und läuft nach 24 Stunden ab.',
      { label: 'E-Mail-Adresse bestätigen', url: link },
      NOT_YOU,
    ],
    reason: requested('ein Konto'),
  }),
  account_exists: ({ link }) => ({
    subject: 'Sie haben bereits ein Konto',
    paragraphs: [
      'Jemand wollte sich mit dieser E-Mail-Adresse registrieren, zu der es bereits ein Konto gibt. Falls Sie das waren, melden Sie sich mit Ihrem Passwort an oder legen Sie über diesen Link ein neues fest. Der Link funktioniert einmal und läuft nach einer Stunde ab.',
      { label: 'Neues Passwort festlegen', url: link },
      NOT_YOU,
    ],
    reason: requested('ein Konto'),
  }),
  reset_password: ({ link }) => ({
    subject: 'Passwort zurücksetzen',
    paragraphs: [
      'Wir haben eine Anfrage erhalten, Ihr Passwort zurückzusetzen. Der Link funktioniert einmal und läuft nach einer Stunde ab.',
      { label: 'Neues Passwort festlegen', url: link },
      NOT_YOU,
    ],
    reason: requested('ein neues Passwort'),
  }),
  invitation: ({ project, role, link }) => ({
    subject: `Einladung zu ${quoted(project)}`,
    paragraphs: [
      `Sie wurden in das Projekt ${quoted(project)} eingeladen. Ihre Rolle: ${ROLES[role] ?? role}. Der Link funktioniert einmal und läuft nach sieben Tagen ab. Leiten Sie diese E-Mail nicht weiter.`,
      { label: 'Einladung annehmen', url: link },
      'Falls Sie das Projekt nicht kennen, können Sie diese E-Mail ignorieren.',
    ],
    reason: `Sie erhalten diese E-Mail, weil ein Inhaber des Projekts diese Adresse zu ${BRAND} eingeladen hat.`,
  }),
  ownership_offered: ({ project, link }) => ({
    subject: `Inhaberschaft von ${quoted(project)} annehmen`,
    paragraphs: [
      `Der Inhaber des Projekts ${quoted(project)} möchte Ihnen das Projekt übertragen. Nehmen Sie innerhalb von sieben Tagen an, um Inhaber zu werden.`,
      { label: 'Inhaberschaft annehmen', url: link },
      'Falls Sie das Projekt nicht übernehmen möchten, können Sie diese E-Mail ignorieren.',
    ],
    reason: `Sie erhalten diese E-Mail, weil der Inhaber des Projekts diese Adresse bei ${BRAND} gewählt hat.`,
  }),
  ownership_received: ({ project }, context) => ({
    subject: `Sie sind jetzt Inhaber von ${quoted(project)}`,
    paragraphs: [
      `Das Projekt ${quoted(project)} wurde Ihnen übertragen.`,
      { label: 'Projekt öffnen', url: mailLinks.project(context) },
    ],
    reason: OF_OWNER,
  }),
  ownership_given: ({ project }, context) => ({
    subject: `Sie haben ${quoted(project)} übertragen`,
    paragraphs: [
      `Das Projekt ${quoted(project)} wurde von Ihrem Konto übertragen. Sie sind jetzt Bearbeiter des Projekts.`,
      { label: 'Projekt öffnen', url: mailLinks.project(context) },
      'Falls Sie das nicht waren, wenden Sie sich sofort an den neuen Inhaber und den Betreiber dieses Dienstes.',
    ],
    reason: OF_MEMBER,
  }),
  second_factor_changed: ({ what }, context) => ({
    subject: FACTOR_CHANGES[what] ?? what,
    paragraphs: [
      `${FACTOR_CHANGES[what] ?? what}.`,
      'Falls Sie das nicht waren, setzen Sie sofort Ihr Passwort zurück und wenden Sie sich an den Betreiber dieses Dienstes.',
      { label: 'Passwort zurücksetzen', url: mailLinks.resetPassword(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  email_change_asked: ({ email }, context) => ({
    subject: 'Anfrage zur Änderung Ihrer E-Mail-Adresse',
    paragraphs: [
      `Jemand, der Ihr Passwort kennt, möchte die E-Mail-Adresse Ihres Kontos zu ${email} ändern. Die Änderung gilt, sobald der an diese Adresse gesendete Link geöffnet wird.`,
      'Falls Sie das nicht waren, setzen Sie sofort Ihr Passwort zurück. Der Link funktioniert dann nicht mehr.',
      { label: 'Passwort zurücksetzen', url: mailLinks.resetPassword(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  confirm_email_change: ({ link }) => ({
    subject: 'Bestätigen Sie Ihre neue E-Mail-Adresse',
    paragraphs: [
      'Um diese E-Mail-Adresse für Ihr Konto zu verwenden, bestätigen Sie sie und geben Sie Ihr Passwort ein. Der Link funktioniert einmal und läuft nach einer Stunde ab.',
      { label: 'Neue Adresse bestätigen', url: link },
      NOT_YOU,
    ],
    reason: requested('eine Adressänderung'),
  }),
  address_taken: (_values, context) => ({
    subject: 'Sie haben bereits ein Konto',
    paragraphs: [
      'Jemand wollte diese E-Mail-Adresse für ein anderes Konto verwenden. Es hat sich nichts geändert.',
      { label: 'Anmelden', url: mailLinks.signIn(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  email_changed: ({ former, email }, context) => ({
    subject: 'Ihre E-Mail-Adresse wurde geändert',
    paragraphs: [
      `Die E-Mail-Adresse Ihres Kontos wurde von ${former} zu ${email} geändert, und alle anderen Sitzungen wurden abgemeldet. Melden Sie sich künftig mit der neuen Adresse an.`,
      { label: 'Anmelden', url: mailLinks.signIn(context) },
      'Falls Sie das nicht waren, wenden Sie sich sofort an den Betreiber dieses Dienstes.',
    ],
    reason: OF_ACCOUNT,
  }),
  account_deleted: () => ({
    subject: 'Ihr Konto wurde gelöscht',
    paragraphs: [
      'Ihr Konto wurde gelöscht, ebenso Ihre Mitgliedschaften in Projekten, die von Ihnen erstellten API-Schlüssel und Ihre Sitzungen.',
      'Falls Sie das nicht waren, wenden Sie sich sofort an den Betreiber dieses Dienstes und die Inhaber Ihrer Projekte.',
    ],
    reason: `Sie erhalten diese E-Mail, weil dies die Adresse Ihres Kontos bei ${BRAND} war. Sie ist nicht mehr gespeichert.`,
  }),
  password_changed: (_values, context) => ({
    subject: 'Ihr Passwort wurde geändert',
    paragraphs: [
      'Das Passwort Ihres Kontos wurde geändert, und alle anderen Sitzungen wurden abgemeldet.',
      'Falls Sie das nicht waren, setzen Sie sofort Ihr Passwort zurück und wenden Sie sich an den Betreiber dieses Dienstes.',
      { label: 'Passwort zurücksetzen', url: mailLinks.resetPassword(context) },
    ],
    reason: OF_ACCOUNT,
  }),
  receiver_away: ({ project, since, reason, lost }, context) => ({
    subject: `Weiterleitung von ${quoted(project)} ist angehalten`,
    paragraphs: [
      `Der Endpunkt von ${quoted(project)} nimmt seit ${at(since)} keine Einwilligungen an. Letzter Fehler: ${reason}`,
      `Wartende Einträge werden automatisch gesendet, sobald der Endpunkt wieder antwortet. Bisher fehlgeschlagen: ${lost}. Fehlgeschlagene Einträge müssen erneut gesendet werden; das Zustellprotokoll führt sie auf.`,
      'Wir prüfen den Endpunkt regelmäßig. Um es sofort zu versuchen, wählen Sie „Jetzt versuchen“ auf der Seite Zustellungen.',
      { label: 'Zustellungen öffnen', url: mailLinks.deliveries(context) },
    ],
    reason: OF_OWNER,
  }),
  records_undelivered: ({ project, records, more }, context) => ({
    subject: `Einwilligungen von ${quoted(project)} wurden nicht zugestellt`,
    paragraphs: [
      `${more ? `Mehr als ${records} Einwilligungen` : records === 1 ? 'Eine Einwilligung' : `${records} Einwilligungen`} von ${quoted(project)} ${records === 1 && !more ? 'konnte' : 'konnten'} nicht an Ihren Endpunkt zugestellt werden.`,
      'Sie sind gespeichert, werden aber nicht automatisch erneut gesendet. Die Ursachen und das erneute Senden finden Sie auf der Seite Zustellungen.',
      { label: 'Prüfen und erneut senden', url: mailLinks.deliveries(context) },
    ],
    reason: `${OF_OWNER} Wir senden sie höchstens einmal am Tag.`,
  }),
  receiver_back: ({ project, since, until, lost, sent }, context) => ({
    subject: `Weiterleitung von ${quoted(project)} läuft wieder`,
    paragraphs: [
      `Der Endpunkt von ${quoted(project)} war von ${at(since)} bis ${at(until)} nicht erreichbar.`,
      `Zugestellte wartende Einträge: ${sent}. Fehlgeschlagene Einträge: ${lost}. Fehlgeschlagene Einträge können Sie aus dem Zustellprotokoll erneut senden.`,
      { label: 'Zustellungen öffnen', url: mailLinks.deliveries(context) },
    ],
    reason: OF_OWNER,
  }),
  scan_alert: ({ project, scanId, newItems, beforeConsent, loaderGone, token }, context) => ({
    subject: `Scan von ${quoted(project)}: ${[
      ...(loaderGone.length > 0 ? ['Loader fehlt'] : []),
      ...(beforeConsent.count > 0 ? ['Speicherung vor Einwilligung'] : []),
      ...(newItems.count > 0
        ? [newItems.count === 1 ? '1 neuer Eintrag' : `${newItems.count} neue Einträge`]
        : []),
    ].join(', ')}`,
    paragraphs: [
      ...(loaderGone.length > 0
        ? [
            `Die letzten beiden Scans haben den Loader auf ${loaderGone.join(', ')} nicht gefunden. Ohne ihn erscheint dort kein Banner, und es werden keine Einwilligungen erfasst.`,
          ]
        : []),
      ...(beforeConsent.count > 0
        ? [
            `Die Website setzt oder lädt Folgendes, bevor Besucher eine Wahl treffen; dafür kann eine Einwilligung nötig sein: ${listed(beforeConsent)}`,
          ]
        : []),
      ...(newItems.count > 0
        ? [
            `Frühere Scans hatten nicht gesehen: ${listed(newItems)} Prüfen Sie die Kategorien und übernehmen Sie die Einträge in den Entwurf des Banners.`,
          ]
        : []),
      { label: 'Scan öffnen', url: mailLinks.scan(context, scanId) },
    ],
    reason: `Sie erhalten diese E-Mail, weil Scan-Benachrichtigungen für dieses Projekt in Ihrem Konto bei ${BRAND} eingeschaltet sind.`,
    unsubscribe: { label: 'Abbestellen', url: mailLinks.unsubscribe(context, token) },
  }),
  custom_domain: ({ project, hostname, event, dnsRecords, at: when }, context) => ({
    subject: {
      failing: `DNS-Einträge von ${hostname} prüfen`,
      suspending: `${hostname} wird gesperrt`,
      releasing: `${hostname} wird entfernt`,
      moved: `${hostname} wurde aus ${quoted(project)} entfernt`,
    }[event],
    paragraphs: [
      {
        failing: `Die eigene Domain ${hostname} von ${quoted(project)} lässt sich nicht mehr bestätigen. Bis sie wieder bestätigt ist, bekommt sie kein neues Zertifikat; am ${when === null ? '' : at(when)} wird sie gesperrt.`,
        suspending: `Die eigene Domain ${hostname} von ${quoted(project)} ist seit Tagen nicht bestätigt. Am ${when === null ? '' : at(when)} wird sie gesperrt: Dann zeigt sie kein Banner und speichert keine Einwilligungen.`,
        releasing: `Die eigene Domain ${hostname} von ${quoted(project)} ist gesperrt. Am ${when === null ? '' : at(when)} wird sie aus dem Projekt entfernt.`,
        moved: `Die DNS-Einträge von ${hostname} nennen jetzt ein anderes Projekt; die Domain wurde deshalb aus ${quoted(project)} entfernt. Falls Sie die Einträge nicht geändert haben, prüfen Sie, wer Zugriff auf Ihr DNS hat.`,
      }[event],
      ...(event === 'moved' ? [] : [`Legen Sie einen dieser DNS-Einträge an: ${dnsRecords.join(' oder ')}`]),
      { label: 'Eigene Domains öffnen', url: mailLinks.install(context) },
    ],
    reason: OF_OWNER,
  }),
};

/** Names of items, chosen by the site, and the number of further ones. */
function listed({ count, names }: { count: number; names: string[] }): string {
  const more = count - names.length;
  if (names.length === 0) return `${count} ${count === 1 ? 'Eintrag' : 'Einträge'}.`;
  return `${names.map((name) => quoted(name)).join(', ')}${more > 0 ? ` und ${more} weitere` : ''}.`;
}
