"""What pages say when they are no longer what they were, in the languages we know.

For each kind: words that must occur for the patterns to be tried at all (searching is the cost), patterns that count
in a title or heading only, and patterns that count anywhere. All are matched against lower-case text.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Phrases:
    """The vocabulary of one kind."""

    triggers: str
    titles: tuple[str, ...]
    texts: tuple[str, ...]


#: Hosts of services that fill parked domains, and the addresses their links have.
PARKING_HOSTS = re.compile(
    r"sedo(?:parking)?\.com|parkingcrew|bodis\.com|dan\.com|afternic|hugedomains|above\.com|parklogic|domainmarket"
    r"|buydomains|undeveloped\.com|godaddy\.com/(?:forsale|domain)|namebright|[?&](?:kw|keyword|query|term"
    r"|pk)=[^&]+&?"
)

PHRASES: Mapping[str, Phrases] = {
    "soft_404": Phrases(
        "404 410 found exist exists existed missing removed unavailable available deleted expired broken gone oops "
        "sorry gefunden existiert vorhanden verfügbar entfernt introuvable trouvée existe encontrada encontrado "
        "trovata trovato gevonden bestaat hittades nie-znaleziono",
        (
            r"\b(?:error|fehler|erreur)?\s*40[4]\b",
            r"\b410\b.*gone",
            r"^oops",
            r"nothing (?:was )?(?:found|here)",
            r"^not found",
        ),
        (
            r"(?:page|document|file|article|url|address|link|content|resource|item|post)s?\b[^.!?]{0,60}?"
            r"(?:(?:could|can|was|were|is|are|did|does|do|has|have)\s?(?:n[o']t|not| no longer)|cannot|no longer"
            r"|never)"
            r"\s+(?:be |been |longer )?(?:found|exist|exists|available|here|located|displayed|on this)",
            r"(?:page|document|file|article) (?:not found|missing|unavailable|has (?:been )?(?:removed|deleted|moved"
            r"|expired|gone))",
            r"(?:can(?:no|')?t|could(?:n't| not)|unable to|cannot|failed to) (?:seem to )?(?:find"
            r"|locate)\b[^.!?]{0,40}"
            r"(?:page|document|file|article|url|content|looking|requested|that|it)\b",
            r"no (?:such )?(?:page|document|article|results?)\b[^.!?]{0,30}(?:found|here|address|exists)",
            r"(?:nothing (?:was )?found|doesn't exist|does not exist|no longer exists|404 error|error 404|http 404)",
            r"(?:seite|dokument|inhalt|adresse)\b[^.!?]{0,60}(?:nicht (?:gefunden|vorhanden|verfügbar|mehr)"
            r"|existiert nicht|entfernt)",
            r"(?:page|document|contenu|article)\b[^.!?]{0,60}(?:introuvable|n'existe (?:pas|plus)|pas (?:été "
            r")?trouvée?|supprimée?)",
            r"(?:página|documento|contenido)\b[^.!?]{0,60}(?:no (?:se ha |fue )?encontrad|no existe|não (?:foi "
            r")?encontrad|não existe)",
            r"(?:pagina|documento)\b[^.!?]{0,60}(?:non (?:è stata )?trovat|non esiste|niet gevonden|bestaat niet)",
        ),
    ),
    "parked": Phrases(
        "domain domains domainname parked sale buy broker purchase inquire offer kaufen verkaufen vente vendre venta "
        "dominio domaine expired registered registrar auction",
        (
            r"domain\b.*(?:for sale|parked|available|kaufen|verkauf)",
            r"\bbuy (?:this|the) (?:domain|name)",
            r"parked domain",
        ),
        (
            r"(?:domain|domain name|website|web address|name)\b[^.!?]{0,60}(?:(?:is|may be|might be|are)\s+(?:now "
            r"|currently |also )?"
            r"(?:for sale|available for (?:sale|purchase)|listed for sale|parked|up for auction|on the market))",
            r"(?:buy|purchase|acquire|own|get|make an offer (?:on|for)|inquire about|bid on) (?:this|the) (?:premium "
            r")?domain",
            r"\bdomain\b[^.!?]{0,40}(?:has expired|expired on|has been parked|was registered (?:at|with|by|through))",
            r"(?:this (?:page|domain|site) is (?:provided courtesy|parked)|related (?:searches"
            r"|links)[^.]{0,80}sponsored)",
            r"sponsored listings",
            r"domain\b[^.!?]{0,40}(?:steht zum verkauf|kaufen|zu verkaufen)|domaine\b[^.!?]{0,30}(?:à vendre|en "
            r"vente)"
            r"|dominio\b[^.!?]{0,30}(?:en venta|in vendita|está à venda)",
        ),
    ),
    "login_wall": Phrases(
        "login log sign signin subscribe subscriber subscribers subscription members member account password "
        "anmelden "
        "einloggen connexion connecter iniciar accedi inloggen register",
        (
            r"^(?:log ?in|sign ?in|login required|anmelden|anmeldung|connexion|iniciar sesión)\b",
            r"(?:log|sign) ?in (?:required|to continue)",
        ),
        (
            r"(?:please |you (?:must|need to|have to) )(?:be )?(?:log(?:ged)?|sign(?:ed)?)[ -]?in",
            r"(?:log|sign) in (?:to|or (?:register|subscribe|create)[^.!?]{0,30}to) (?:continue|view|read|access|see"
            r"|proceed)",
            r"(?:only|reserved|exclusive(?:ly)?)\b[^.!?]{0,30}(?:for )?(?:our )?(?:subscribers|registered users"
            r"|members)",
            r"(?:subscribe|subscription)\b[^.!?]{0,40}(?:to (?:continue|read|keep reading|unlock)|required)",
            r"access to this (?:page|content|area|resource)[^.!?]{0,40}(?:restricted|requires|limited)",
            r"forgot(?:ten)? (?:your )?password",
            r"(?:bitte|müssen sie sich)\b[^.!?]{0,20}(?:anmelden|einloggen|melden sie sich an)|mot de passe oublié"
            r"|vous devez vous connecter",
        ),
    ),
    "consent_wall": Phrases(
        "cookies cookie consent privacy accept agree zustimmen einwilligung accepter aceptar",
        (
            r"before you continue",
            r"^(?:cookie|privacy|consent)[\w ]{0,20}(?:settings|consent|choices)",
            r"we (?:value|care about) your privacy",
        ),
        (
            r"(?:accept|agree to|consent to)\b[^.!?]{0,60}(?:cookies|terms)\b[^.!?]{0,40}(?:to (?:continue|proceed"
            r"|access|enter|read)|before)",
            r"before (?:you |we )?(?:continue|can continue|proceed|entering)\b[^.!?]{0,60}(?:cookies|consent|privacy"
            r"|choose|accept)",
            r"(?:we|our partners|and our \d+ partners)\b[^.!?]{0,60}(?:store and/or access|need your (?:consent"
            r"|permission|agreement))",
            r"(?:mit werbung|zustimmen und weiter|alle akzeptieren)|(?:accepter et continuer|tout accepter)",
        ),
    ),
    "captcha": Phrases(
        "captcha human robot robots bot bots browser verify verifying checking cloudflare unusual traffic javascript "
        "blocked "
        "moment security",
        (
            r"just a moment",
            r"attention required",
            r"are you (?:a )?(?:human|robot)",
            r"(?:security|human|bot) (?:check|verification)",
            r"access denied",
        ),
        (
            r"(?:verify|confirm|prove|checking|make sure)\b[^.!?]{0,40}(?:you(?:'re| are) (?:a |not a )?(?:human"
            r"|robot|bot|person))",
            r"checking (?:your browser|if the site connection is secure)|unusual traffic|automated (?:requests"
            r"|queries|access)",
            r"(?:complete|solve)\b[^.!?]{0,30}(?:captcha|puzzle|challenge)|enable javascript and cookies to continue",
            r"(?:performing|performance) (?:&|and)? ?(?:a )?security (?:check|verification|by)|your (?:ip"
            r"|access)[^.!?]{0,40}blocked",
        ),
    ),
    "maintenance": Phrases(
        "maintenance back soon shortly upgrading upgrade wartung wartungsarbeiten mantenimiento manutenzione "
        "unavailable temporarily",
        (r"maintenance", r"wartung(?:sarbeiten)?", r"mantenimiento", r"be (?:right )?back"),
        (
            r"(?:down|closed|offline|undergoing|unavailable|under|performing|scheduled"
            r"|routine)\b[^.!?]{0,40}maintenance",
            r"(?:we'll|we will|will) be (?:right )?back (?:soon|shortly|online|up)|(?:check|come|try) back (?:soon"
            r"|later|shortly)",
            r"temporarily (?:unavailable|offline|down|out of service)|wartungsarbeiten|en (?:cours de )?maintenance"
            r"|en mantenimiento",
        ),
    ),
    "suspended": Phrases(
        "suspended disabled deactivated terminated account hosting bandwidth billing gesperrt deaktiviert suspendu "
        "suspendida unpaid",
        (
            r"(?:account|site|website|page)\b.*(?:suspended|disabled|deactivated)",
            r"^suspended",
            r"bandwidth limit exceeded",
        ),
        (
            r"(?:account|site|website|web site|web page|hosting|service|page|space)\b[^.!?]{0,60}(?:has been|have "
            r"been|is|was|been)\s+"
            r"(?:temporarily |currently )?(?:suspended|disabled|deactivated|terminated|locked|taken offline)",
            r"(?:contact|call) (?:your|the) (?:hosting provider|host|billing|web host)[^.!?]{0,60}",
            r"bandwidth (?:limit )?(?:has been )?exceeded|gesperrt|deaktiviert|compte (?:a été )?suspendu|cuenta "
            r"(?:ha sido )?suspendida",
        ),
    ),
    "directory_listing": Phrases(
        "index parent directory listing verzeichnis",
        (r"^index of /", r"directory listing for", r"^verzeichnis "),
        (r"index of /[\w./-]*\s+(?:name|\[ico\])|parent directory", r"name\s+last modified\s+size"),
    ),
    "error_dump": Phrases(
        "error exception fatal traceback warning undefined stack mysql mysqli sql database syntax uncaught line "
        "server internal",
        (
            r"internal server error|database error|runtime error|server error in|application error|unhandled "
            r"exception|service unavailable",
            r"bad gateway|gateway time-?out|fatal error|error establishing",
        ),
        (
            r"(?:fatal|parse|syntax) error\b[^.]{0,200}\bon line \d+|uncaught (?:exception|error|typeerror)|stack "
            r"trace:",
            r"traceback \(most recent call last\)|you have an error in your sql syntax|error establishing a database "
            r"connection",
            r"unhandled exception|nullpointerexception|\bat [\w.$]+\([\w.]+\.java:\d+\)|sqlstate\[|ora-\d{5}",
            r"internal server error\b[^.!?]{0,80}|the server encountered an (?:internal|unexpected)",
        ),
    ),
    "placeholder": Phrases(
        "coming soon construction works welcome nginx apache default placeholder launching aufbau construcción hosting",
        (
            r"coming soon",
            r"under construction",
            r"^it works",
            r"welcome to nginx",
            r"(?:apache|iis|centos|ubuntu)\b.*default page",
        ),
        (
            r"(?:website|site|page|something (?:new|great|awesome))\b[^.!?]{0,30}(?:coming soon|under construction"
            r"|launching soon)",
            r"if you see this page, the nginx|apache2? (?:\w+ )?default page|this is the default (?:web )?page|im "
            r"aufbau|en construcción",
            r"future home of something|this (?:site|domain) has just been (?:created|registered)",
        ),
    ),
    "spam": Phrases(
        "casino casinos slot slots betting poker viagra cialis payday loans escort judi togel gacor jackpot replica "
        "porn sex bonus "
        "crypto essay forex",
        (r"\b(?:online )?(?:casino|slot gacor|togel|judi|betting|viagra|cialis|payday loan|escorts?|replica watch)",),
        (
            r"(?:online casino|slot (?:gacor|online|machines)|judi (?:online|bola)|togel|bandar|sports ?betting|free "
            r"spins|no deposit bonus)",
            r"(?:buy|cheap|generic) (?:viagra|cialis|xanax|tramadol)|payday loans?|replica watches|escort (?:service"
            r"|girls)",
        ),
    ),
}
