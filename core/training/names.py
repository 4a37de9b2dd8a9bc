"""First names and family names that augmentation puts in place of one another."""

MALE = tuple(
    """Adam Alan Albert Alex Alfred Allen Andrew Andy Anthony Antonio Arthur Barry Ben Billy Bob Bobby Brad Brandon
    Brian Bruce Carl Carlos Charles Charlie Chris Chuck Colin Craig Dan Daniel Dave David Dennis Derek Dick
    Donald Douglas Ed Eddie Edward Eric Ernest Frank Fred Gary Gavin George Gerald Gordon Graham Greg Harold Harry Henry
    Howard Hugh Ian Ivan Jack Jacob Jake James Jason Jeff Jeffrey Jeremy Jerry Jim Jimmy Joe Joel John Johnny Jonathan
    Jose Joseph Josh Juan Justin Karl Keith Ken Kenneth Kevin Kyle Larry Leo Louis Lucas Luke Mario Martin Matt Matthew
    Max Michael Miguel Mike Nathan Neil Nick Nicholas Oliver Oscar Owen Patrick Paul Pedro Pete Peter Phil Philip Ralph
    Randy Raymond Rick Richard Rob Robert Rodney Roger Ron Ronald Ross Roy Russell Ryan Sam Scott Sean Simon Stan
    Stephen Steve Steven Stuart Ted Terry Thomas Tim Todd Tom Tommy Tony Victor Vincent Walter Warren Wayne
    William""".split()
)
FEMALE = tuple(
    """Abby Alice Alicia Allison Amanda Amy Andrea Angela Anita Ann Anna Anne Annie Barbara Becky Beth Betty Bonnie
    Brenda Carla Carol Caroline Carrie Catherine Cathy Charlotte Cheryl Christina Christine Cindy Claire Clara Connie
    Crystal Cynthia Daisy Debbie Denise Diana Diane Donna Doris Dorothy Elena Elizabeth Ella Ellen Emily Emma Erica Eva
    Fiona Frances Gina Gloria Hannah Heather Helen Holly Irene Isabel Jane Janet Janice Jean Jennifer Jenny Jessica
    Jill Joan Joanna Joyce Judy Julia Julie Karen Kate Katherine Kathy Katie Kelly Kitty Laura Lauren Lily Linda Lisa
    Liz Lora Louise Lucy Lydia Maggie Margaret Maria Marie Marilyn Martha Mary Megan Melissa Michelle Molly Monica
    Nancy Naomi Natalie Nicole Nina Nora Olivia Pamela Patricia Paula Peggy Phyllis Polly Rachel Rebecca Renee Rita Ruby
    Ruth Sally Samantha Sandra Sara Sarah Sharon Sheila Sherry Shirley Sophia Sophie Stella Stephanie Sue Susan Suzanne
    Sylvia Tara Teresa Tina Tracy Vanessa Vera Victoria Vivian Wendy Yvonne Zoe""".split()
)
FAMILY = tuple(
    """Adams Allen Anderson Bailey Baker Barnes Bennett Brooks Brown Butler Campbell Carter Clark Clarke Collins Cook
    Cooper Cox Davies Davis Dixon Edwards Evans Fisher Foster Garcia Gibson Green Griffin Hall Harris Hill Hughes Hunt
    Jackson Jenkins Johnson Jones Kelly Kennedy King Lewis Liu Lopez Marshall Mason Miller Mills Mitchell Moore Morgan
    Morris Murphy Nelson Parker Perry Phillips Powell Price Reed Reynolds Roberts Robinson Rogers Sanders Shaw Smith
    Stevens Stewart Sullivan Taylor Thompson Turner Walker Wang Ward Watson White Wilson Wood Wright Young
    Zhang""".split()
)
