import type { BannerText, Labels } from './banner-text.js';

/** A whole set of words. */
export interface DefaultText extends BannerText {
  labels: Labels;
}

/** What a banner says where its owner has written nothing, by language. Long, because it is ten languages of words. */
export const DEFAULT_TEXTS: DefaultText[] = [
  {
    language: 'en',
    title: 'Your choice',
    description: 'May we use cookies beyond the necessary ones?',
    acceptAll: 'Accept all',
    rejectAll: 'Reject all',
    choose: 'Choose',
    save: 'Save my choice',
    categories: [
      { key: 'analytics', title: 'Analytics', description: 'Helps us see how the site is used.' },
      { key: 'marketing', title: 'Marketing', description: 'Lets us show you what may interest you.' },
      { key: 'preferences', title: 'Preferences', description: 'Remembers how you like the site.' },
    ],
    labels: {
      necessaryTitle: 'Necessary',
      necessaryDescription: 'The site does not work without these.',
      close: 'Close',
      policyLink: 'Privacy policy',
      settingsLink: 'Privacy settings',
      acknowledge: 'Understood',
      signalHonoured: 'Your browser asks not to be tracked (Global Privacy Control). We honour that.',
      services: 'Services and cookies',
      controller: 'Controller',
      consentId: 'Number of your consent',
      copy: 'Copy',
      download: 'Download receipt',
      withdraw: 'Withdraw consent',
      erase: 'Erase my records',
      eraseQuestion:
        'Erase everything that is stored here of your choices? It cannot be undone, and you will be asked again.',
      failed: 'That did not work. Please try again later.',
    },
  },
  {
    language: 'de',
    title: 'Ihre Entscheidung',
    description: 'Dürfen wir außer den notwendigen weitere Cookies verwenden?',
    acceptAll: 'Alle akzeptieren',
    rejectAll: 'Alle ablehnen',
    choose: 'Auswählen',
    save: 'Auswahl speichern',
    categories: [
      { key: 'analytics', title: 'Statistik', description: 'Zeigt uns, wie die Website genutzt wird.' },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Damit wir Ihnen zeigen können, was Sie interessieren könnte.',
      },
      { key: 'preferences', title: 'Einstellungen', description: 'Merkt sich, wie Sie die Website mögen.' },
    ],
    labels: {
      necessaryTitle: 'Notwendig',
      necessaryDescription: 'Ohne diese funktioniert die Website nicht.',
      close: 'Schließen',
      policyLink: 'Datenschutzerklärung',
      settingsLink: 'Datenschutz-Einstellungen',
      acknowledge: 'Verstanden',
      signalHonoured:
        'Ihr Browser bittet darum, Sie nicht zu verfolgen (Global Privacy Control). Wir halten uns daran.',
      services: 'Dienste und Cookies',
      controller: 'Verantwortlicher',
      consentId: 'Nummer Ihrer Einwilligung',
      copy: 'Kopieren',
      download: 'Beleg herunterladen',
      withdraw: 'Einwilligung widerrufen',
      erase: 'Meine Einträge löschen',
      eraseQuestion:
        'Alles löschen, was hier zu Ihren Entscheidungen gespeichert ist? Das lässt sich nicht rückgängig machen, und Sie werden erneut gefragt.',
      failed: 'Das hat nicht geklappt. Bitte versuchen Sie es später noch einmal.',
    },
  },
  {
    language: 'fr',
    title: 'Votre choix',
    description: 'Pouvons-nous utiliser d’autres cookies que ceux qui sont nécessaires ?',
    acceptAll: 'Tout accepter',
    rejectAll: 'Tout refuser',
    choose: 'Choisir',
    save: 'Enregistrer mon choix',
    categories: [
      {
        key: 'analytics',
        title: 'Mesure d’audience',
        description: 'Nous aide à comprendre comment le site est utilisé.',
      },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Nous permet de vous montrer ce qui peut vous intéresser.',
      },
      {
        key: 'preferences',
        title: 'Préférences',
        description: 'Retient la façon dont vous aimez utiliser le site.',
      },
    ],
    labels: {
      necessaryTitle: 'Nécessaires',
      necessaryDescription: 'Le site ne fonctionne pas sans eux.',
      close: 'Fermer',
      policyLink: 'Politique de confidentialité',
      settingsLink: 'Réglages de confidentialité',
      acknowledge: 'Compris',
      signalHonoured:
        'Votre navigateur demande que vous ne soyez pas suivi (Global Privacy Control). Nous respectons cette demande.',
      services: 'Services et cookies',
      controller: 'Responsable du traitement',
      consentId: 'Numéro de votre consentement',
      copy: 'Copier',
      download: 'Télécharger le reçu',
      withdraw: 'Retirer mon consentement',
      erase: 'Effacer mes enregistrements',
      eraseQuestion:
        'Effacer tout ce qui est enregistré ici de vos choix ? Cela ne peut pas être annulé, et la question vous sera posée à nouveau.',
      failed: 'Cela n’a pas fonctionné. Veuillez réessayer plus tard.',
    },
  },
  {
    language: 'es',
    title: 'Su elección',
    description: '¿Podemos usar otras cookies además de las necesarias?',
    acceptAll: 'Aceptar todo',
    rejectAll: 'Rechazar todo',
    choose: 'Elegir',
    save: 'Guardar mi elección',
    categories: [
      { key: 'analytics', title: 'Analítica', description: 'Nos ayuda a ver cómo se usa el sitio.' },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Nos permite mostrarle lo que puede interesarle.',
      },
      { key: 'preferences', title: 'Preferencias', description: 'Recuerda cómo le gusta usar el sitio.' },
    ],
    labels: {
      necessaryTitle: 'Necesarias',
      necessaryDescription: 'El sitio no funciona sin ellas.',
      close: 'Cerrar',
      policyLink: 'Política de privacidad',
      settingsLink: 'Ajustes de privacidad',
      acknowledge: 'Entendido',
      signalHonoured: 'Su navegador pide que no se le rastree (Global Privacy Control). Lo respetamos.',
      services: 'Servicios y cookies',
      controller: 'Responsable del tratamiento',
      consentId: 'Número de su consentimiento',
      copy: 'Copiar',
      download: 'Descargar el justificante',
      withdraw: 'Retirar el consentimiento',
      erase: 'Borrar mis registros',
      eraseQuestion:
        '¿Borrar todo lo que se guarda aquí de sus elecciones? No se puede deshacer, y se le preguntará de nuevo.',
      failed: 'No ha funcionado. Vuelva a intentarlo más tarde.',
    },
  },
  {
    language: 'it',
    title: 'La sua scelta',
    description: 'Possiamo usare altri cookie oltre a quelli necessari?',
    acceptAll: 'Accetta tutto',
    rejectAll: 'Rifiuta tutto',
    choose: 'Scegli',
    save: 'Salva la mia scelta',
    categories: [
      { key: 'analytics', title: 'Statistiche', description: 'Ci aiuta a capire come viene usato il sito.' },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Ci permette di mostrarle ciò che può interessarle.',
      },
      { key: 'preferences', title: 'Preferenze', description: 'Ricorda come preferisce usare il sito.' },
    ],
    labels: {
      necessaryTitle: 'Necessari',
      necessaryDescription: 'Il sito non funziona senza questi.',
      close: 'Chiudi',
      policyLink: 'Informativa sulla privacy',
      settingsLink: 'Impostazioni sulla privacy',
      acknowledge: 'Ho capito',
      signalHonoured:
        'Il suo browser chiede di non essere tracciato (Global Privacy Control). Rispettiamo questa richiesta.',
      services: 'Servizi e cookie',
      controller: 'Titolare del trattamento',
      consentId: 'Numero del suo consenso',
      copy: 'Copia',
      download: 'Scarica la ricevuta',
      withdraw: 'Revoca il consenso',
      erase: 'Cancella le mie registrazioni',
      eraseQuestion:
        'Cancellare tutto ciò che è conservato qui delle sue scelte? Non si può annullare, e le verrà chiesto di nuovo.',
      failed: 'Non ha funzionato. Riprovi più tardi.',
    },
  },
  {
    language: 'nl',
    title: 'Uw keuze',
    description: 'Mogen we naast de noodzakelijke ook andere cookies gebruiken?',
    acceptAll: 'Alles accepteren',
    rejectAll: 'Alles weigeren',
    choose: 'Kiezen',
    save: 'Mijn keuze opslaan',
    categories: [
      { key: 'analytics', title: 'Statistieken', description: 'Laat ons zien hoe de site wordt gebruikt.' },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Hiermee kunnen we u tonen wat u kan interesseren.',
      },
      { key: 'preferences', title: 'Voorkeuren', description: 'Onthoudt hoe u de site graag gebruikt.' },
    ],
    labels: {
      necessaryTitle: 'Noodzakelijk',
      necessaryDescription: 'Zonder deze werkt de site niet.',
      close: 'Sluiten',
      policyLink: 'Privacyverklaring',
      settingsLink: 'Privacy-instellingen',
      acknowledge: 'Begrepen',
      signalHonoured:
        'Uw browser vraagt om u niet te volgen (Global Privacy Control). Wij houden ons daaraan.',
      services: 'Diensten en cookies',
      controller: 'Verwerkingsverantwoordelijke',
      consentId: 'Nummer van uw toestemming',
      copy: 'Kopiëren',
      download: 'Bewijs downloaden',
      withdraw: 'Toestemming intrekken',
      erase: 'Mijn gegevens wissen',
      eraseQuestion:
        'Alles wissen wat hier van uw keuzes is opgeslagen? Dit kan niet ongedaan worden gemaakt, en u wordt opnieuw gevraagd.',
      failed: 'Dat is niet gelukt. Probeer het later opnieuw.',
    },
  },
  {
    language: 'pl',
    title: 'Twój wybór',
    description: 'Czy możemy używać plików cookie innych niż niezbędne?',
    acceptAll: 'Zaakceptuj wszystkie',
    rejectAll: 'Odrzuć wszystkie',
    choose: 'Wybierz',
    save: 'Zapisz mój wybór',
    categories: [
      { key: 'analytics', title: 'Analityczne', description: 'Pokazują nam, jak używana jest ta strona.' },
      {
        key: 'marketing',
        title: 'Marketingowe',
        description: 'Pozwalają nam pokazywać to, co może Cię zainteresować.',
      },
      {
        key: 'preferences',
        title: 'Preferencje',
        description: 'Zapamiętują, jak lubisz korzystać ze strony.',
      },
    ],
    labels: {
      necessaryTitle: 'Niezbędne',
      necessaryDescription: 'Bez nich strona nie działa.',
      close: 'Zamknij',
      policyLink: 'Polityka prywatności',
      settingsLink: 'Ustawienia prywatności',
      acknowledge: 'Rozumiem',
      signalHonoured:
        'Twoja przeglądarka prosi, aby Cię nie śledzić (Global Privacy Control). Stosujemy się do tego.',
      services: 'Usługi i pliki cookie',
      controller: 'Administrator danych',
      consentId: 'Numer Twojej zgody',
      copy: 'Kopiuj',
      download: 'Pobierz potwierdzenie',
      withdraw: 'Wycofaj zgodę',
      erase: 'Usuń moje zapisy',
      eraseQuestion:
        'Usunąć wszystko, co jest tu zapisane o Twoich wyborach? Tego nie można cofnąć, a pytanie pojawi się ponownie.',
      failed: 'Nie udało się. Spróbuj ponownie później.',
    },
  },
  {
    language: 'pt',
    title: 'A sua escolha',
    description: 'Podemos usar outros cookies além dos necessários?',
    acceptAll: 'Aceitar tudo',
    rejectAll: 'Recusar tudo',
    choose: 'Escolher',
    save: 'Guardar a minha escolha',
    categories: [
      { key: 'analytics', title: 'Estatística', description: 'Ajuda-nos a ver como o site é usado.' },
      {
        key: 'marketing',
        title: 'Marketing',
        description: 'Permite-nos mostrar-lhe o que lhe pode interessar.',
      },
      { key: 'preferences', title: 'Preferências', description: 'Lembra-se de como gosta de usar o site.' },
    ],
    labels: {
      necessaryTitle: 'Necessários',
      necessaryDescription: 'O site não funciona sem estes.',
      close: 'Fechar',
      policyLink: 'Política de privacidade',
      settingsLink: 'Definições de privacidade',
      acknowledge: 'Compreendi',
      signalHonoured:
        'O seu navegador pede para não ser seguido (Global Privacy Control). Respeitamos esse pedido.',
      services: 'Serviços e cookies',
      controller: 'Responsável pelo tratamento',
      consentId: 'Número do seu consentimento',
      copy: 'Copiar',
      download: 'Transferir o comprovativo',
      withdraw: 'Retirar o consentimento',
      erase: 'Apagar os meus registos',
      eraseQuestion:
        'Apagar tudo o que está guardado aqui sobre as suas escolhas? Não pode ser desfeito, e a pergunta será feita de novo.',
      failed: 'Não funcionou. Tente novamente mais tarde.',
    },
  },
  {
    language: 'sv',
    title: 'Ditt val',
    description: 'Får vi använda andra kakor än de nödvändiga?',
    acceptAll: 'Godkänn alla',
    rejectAll: 'Avvisa alla',
    choose: 'Välj',
    save: 'Spara mitt val',
    categories: [
      { key: 'analytics', title: 'Statistik', description: 'Hjälper oss att se hur webbplatsen används.' },
      {
        key: 'marketing',
        title: 'Marknadsföring',
        description: 'Låter oss visa det som kan intressera dig.',
      },
      { key: 'preferences', title: 'Inställningar', description: 'Kommer ihåg hur du vill ha webbplatsen.' },
    ],
    labels: {
      necessaryTitle: 'Nödvändiga',
      necessaryDescription: 'Webbplatsen fungerar inte utan dem.',
      close: 'Stäng',
      policyLink: 'Integritetspolicy',
      settingsLink: 'Integritetsinställningar',
      acknowledge: 'Jag förstår',
      signalHonoured:
        'Din webbläsare ber om att du inte ska spåras (Global Privacy Control). Det respekterar vi.',
      services: 'Tjänster och kakor',
      controller: 'Personuppgiftsansvarig',
      consentId: 'Numret på ditt samtycke',
      copy: 'Kopiera',
      download: 'Ladda ner kvitto',
      withdraw: 'Återkalla samtycke',
      erase: 'Radera mina uppgifter',
      eraseQuestion:
        'Radera allt som har sparats här om dina val? Det går inte att ångra, och du får frågan igen.',
      failed: 'Det gick inte. Försök igen senare.',
    },
  },
  {
    language: 'da',
    title: 'Dit valg',
    description: 'Må vi bruge andre cookies end de nødvendige?',
    acceptAll: 'Accepter alle',
    rejectAll: 'Afvis alle',
    choose: 'Vælg',
    save: 'Gem mit valg',
    categories: [
      { key: 'analytics', title: 'Statistik', description: 'Hjælper os med at se, hvordan siden bruges.' },
      {
        key: 'marketing',
        title: 'Markedsføring',
        description: 'Lader os vise dig, hvad der kan interessere dig.',
      },
      {
        key: 'preferences',
        title: 'Præferencer',
        description: 'Husker, hvordan du kan lide at bruge siden.',
      },
    ],
    labels: {
      necessaryTitle: 'Nødvendige',
      necessaryDescription: 'Siden virker ikke uden dem.',
      close: 'Luk',
      policyLink: 'Privatlivspolitik',
      settingsLink: 'Privatlivsindstillinger',
      acknowledge: 'Forstået',
      signalHonoured:
        'Din browser beder om, at du ikke bliver sporet (Global Privacy Control). Det respekterer vi.',
      services: 'Tjenester og cookies',
      controller: 'Dataansvarlig',
      consentId: 'Nummeret på dit samtykke',
      copy: 'Kopiér',
      download: 'Hent kvittering',
      withdraw: 'Træk samtykke tilbage',
      erase: 'Slet mine oplysninger',
      eraseQuestion:
        'Slet alt, der er gemt her om dine valg? Det kan ikke fortrydes, og du bliver spurgt igen.',
      failed: 'Det lykkedes ikke. Prøv igen senere.',
    },
  },
];

/** Our words in a language or, of a tag such as `pt-BR`, in its first part; English for all others. */
export function defaultText(language: string): DefaultText {
  return knownText(language) ?? (knownText('en') as DefaultText);
}

/** As above; undefined where we have none. */
export function knownText(language: string): DefaultText | undefined {
  const first = language.toLowerCase().split('-')[0];
  return DEFAULT_TEXTS.find((text) => text.language === first);
}
